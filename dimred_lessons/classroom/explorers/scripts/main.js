// What moves in the book. The form is that of an anywidget front end: `render` gets a model that holds the data, as
// Python wrote them, and an empty element. In JupyterLab the model also passes messages to the kernel; on a page of
// the book, no one answers them.

import { Explorer } from "./explorer.js";
import { Gallery } from "./gallery.js";
import { Ink } from "./ink.js";
import { Live } from "./live.js";
import { renderSweep } from "./sweep.js";

function render({ model, el }) {
  const { kind } = model.get("data");
  if (kind === "sweep") return renderSweep(model, el);
  const figure = new { explorer: Explorer, gallery: Gallery, ink: Ink, live: Live }[kind](model, el);
  return () => figure.close();
}

export default { render };
