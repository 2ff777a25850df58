// The figures that move by what was computed before. The form is that of an anywidget front end: `render` gets a model
// that holds the data, as Python wrote them, and an empty element. In JupyterLab the model also passes messages to the
// kernel; on a page of the book, no one answers them.

import { rendererOf } from "./elements.js";
import { Explorer } from "./explorer.js";
import { Gallery } from "./gallery.js";
import { Ink } from "./ink.js";
import { Sweep } from "./sweep.js";

const KINDS = { explorer: Explorer, gallery: Gallery, ink: Ink, sweep: Sweep };
const render = rendererOf(KINDS);

export default { render };
