// Typesets formulas.
//
//     node typeset.mjs <folder of the installed packages>
//
// The first line of the input, in JSON as all lines, has the characters of the font of all formulas (`formulas.py`), by their
// numbers in Unicode. Each other line, {tex, display}, is answered by a line: {html}, or {error} if TeX cannot set the formula.
//
// MathJax draws a formula as a tree of outlines, an element or two for each letter. Here its letters become one text for each
// of their sizes, which says where each of them stands. What the font does not have, such as a large sum or a high
// parenthesis, stays an outline, and bars stay bars.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

console.warn = () => {}; // MathJax warns of a setting of its own, for a menu that is not here
const { default: MathJax } = await import(pathToFileURL(`${process.argv[2]}/mathjax/node-main.mjs`));

await MathJax.init({
  loader: { load: ["input/tex", "output/svg", "a11y/assistive-mml"] },
  options: { enableAssistiveMml: true },
  tex: {
    packages: { "[-]": ["noundefined"] }, // an unknown command is an error, not a word in red
    formatError: (_, error) => {
      throw error;
    },
  },
  // The size is set by style sheets: measured, formulas in folded or hidden places would come out too small.
  svg: { fontCache: "none", matchFontHeight: false },
});

const { adaptor, output } = MathJax.startup;
const WHOLE = 16; // letters of a formula that stays on one line, some half of a phone's
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
// What scripts would use, the TeX of every symbol first of all: half of the weight.
const UNUSED = / (?:data-[a-z-]+|xmlns)="[^"]*"/g;

const em = (number) => `${+(number / 1000).toFixed(3)}em`;
const tag = (element) => adaptor.outerHTML(element).replace(UNUSED, "");

const outline = (path) => adaptor.getAttribute(path, "d");

// Character of a letter in the font of all formulas; none for another outline.
function letter(path) {
  const code = parseInt(adaptor.getAttribute(path, "data-c"), 16);
  const usual = output.font.getChar("normal", code)?.[3]?.p;
  if (outline(path) !== `M${usual}Z` || !(code in characters)) return null;
  return ESCAPED[characters[code]] ?? characters[code];
}

// Letters and shapes of a tree of outlines, each with its place, upward from the baseline, and its size.
function* parts(node, x = 0, y = 0, size = 1) {
  const transform = adaptor.getAttribute(node, "transform") ?? "";
  if (!["g", "path"].includes(node.kind) || /scale\(.*,/.test(transform)) return yield { shape: tag(node), x, y, size };
  for (const [, kind, first, second] of transform.matchAll(/(\w+)\(([^ ,)]+)(?:[ ,]+([^)]+))?\)/g)) {
    if (kind === "translate") [x, y] = [x + size * first, y + size * (second ?? 0)];
    else size *= first;
  }
  if (node.kind === "g") for (const child of adaptor.childNodes(node)) yield* parts(child, x, y, size);
  else if (letter(node)) yield { letter: letter(node), x, y, size };
  else if (outline(node)) yield { shape: `<path d="${outline(node)}"></path>`, x, y, size };
}

// A drawing of MathJax in few elements, as large as it and on the same baseline.
function drawn(svg) {
  const [left, top, width, height] = adaptor.getAttribute(svg, "viewBox").split(" ").map(Number);
  const texts = new Map();
  let shapes = "";
  for (const part of adaptor.childNodes(adaptor.firstChild(svg)).flatMap((child) => [...parts(child)])) {
    if (part.letter) {
      const size = Math.round(1000 * part.size);
      if (!texts.has(size)) texts.set(size, []);
      texts.get(size).push(part);
    } else {
      const place = [part.size, 0, 0, -part.size, part.x, -part.y].map((number) => +number.toFixed(3)).join(" ");
      shapes += `<g transform="matrix(${place})">${part.shape}</g>`;
    }
  }
  for (const [size, letters] of texts) {
    const places = (name, sign) => letters.map((part) => Math.round(sign * part[name])).join(" ");
    const level = letters.every((part) => part.y === letters[0].y);
    const y = level ? Math.round(-letters[0].y) : places("y", -1);
    const text = letters.map((part) => part.letter).join("");
    shapes += `<text${size === 1000 ? "" : ` font-size="${size}"`} x="${places("x", 1)}"${y ? ` y="${y}"` : ""}>${text}</text>`;
  }
  const box = `viewBox="${[left, top, width, height].map(Math.round).join(" ")}"`;
  const style = `style="width:${em(width)};height:${em(height)};vertical-align:${em(-height - top)}"`;
  return `<svg aria-hidden="true" ${box} ${style}>${shapes}</svg>`;
}

async function typeset(tex, display, breaking) {
  output.options.linebreaks.inline = breaking;
  return MathJax.tex2svgPromise(tex, { display });
}

// The statements of a displayed formula, and the blanks, \quad or wider, that set them apart: there it breaks where they have
// no room side by side. Words between two blanks ("subject to") begin the statement behind them. What stands in braces, in an
// environment or between high parentheses is not cut.
function statements(tex) {
  const found = [""];
  let depth = 0;
  for (const [token] of tex.matchAll(/(?:\\q?quad(?![a-zA-Z])\s*)+|\\(?:begin|end|left|right)(?![a-zA-Z])|\\.|[^\\]/gs)) {
    if (["{", "\\begin", "\\left"].includes(token)) depth += 1;
    if (["}", "\\end", "\\right"].includes(token)) depth -= 1;
    const words = /^\s*\\text\{[^{}]*\}\s*$/.test(found.at(-1));
    if (depth === 0 && /quad\s*$/.test(token) && !words) found.push(token, "");
    else found[found.length - 1] += token;
  }
  return found;
}

// A displayed formula: a drawing for each statement.
async function inStatements(tex) {
  const pieces = [];
  for (const [index, part] of statements(tex).entries()) {
    if (index % 2 === 0) pieces.push(drawn(adaptor.firstChild(await typeset(part, true, false))));
    else pieces.push(`<mjx-break size="${/qquad/.test(part) ? "qquad" : "quad"}"> </mjx-break>`);
  }
  return pieces;
}

async function answer({ tex, display }) {
  try {
    let formula = await typeset(tex, display, false);
    const whole = adaptor.tags(formula, "path").length <= WHOLE;
    if (!display && !whole) formula = await typeset(tex, display, true);
    const pieces = adaptor.childNodes(formula).map((child) => {
      if (child.kind === "svg") return drawn(child);
      return tag(child.kind === "mjx-assistive-mml" ? adaptor.firstChild(child) : child);
    });
    if (display) pieces.splice(0, 1, ...(await inStatements(tex)));
    const kind = display ? ' display="true"' : whole ? ' class="whole"' : "";
    return { html: `<mjx-container${kind}>${pieces.join("")}</mjx-container>` };
  } catch (error) {
    return { error: error.message };
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const characters = JSON.parse((await lines.next()).value);
for await (const line of lines) process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
