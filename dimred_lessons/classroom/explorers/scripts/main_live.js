// The figures that compute in the page, with their engine; the form is that of main.js.

import { rendererOf } from "./elements.js";
import { Live } from "./live.js";

const KINDS = { live: Live };
const render = rendererOf(KINDS);

export default { render };
