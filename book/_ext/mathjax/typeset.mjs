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
const PHONE = 23; // em: as wide as a phone's smallest letters let a statement be
const INDENT = 1.5; // em, of a line that continues another one, as in formulas.css
const RELATION = String.raw`[=<>]|\\(?:le|ge|to|approx|propto|Rightarrow|Leftrightarrow)`;
const RELATIONS = new RegExp(`^(?::=|${RELATION})$`);
const SUMS = /^(?:[-+]|\\pm)$/;
const BEGINNING = new RegExp(String.raw`(?:^|[([]|\\(?:\{|lVert|lvert)|${RELATION})(?:\{\}|\\[,;!]|\s)*$`);
const BRACES = [["{", "\\begin", "\\left"], ["}", "\\end", "\\right"]];
const PARENTHESES = [["(", "[", "\\{", "\\lVert", "\\lvert", "\\langle"], [")", "]", "\\}", "\\rVert", "\\rvert", "\\rangle"]];
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

// TeX in tokens: blanks between statements, commands, and characters; each with how deep it stands in parentheses, whether the
// outer ones are large (\bigl), and whether it stands in braces, in an environment or between parentheses as high as what is in
// them, which no cut may tear.
function* tokens(tex) {
  const kinds = /(?:\\q?quad(?![a-zA-Z])\s*)+|\\[a-zA-Z]+|\\.|:=|[^\\]/gs;
  const count = (token, [opening, closing]) => opening.includes(token) - closing.includes(token);
  const bars = new Set(); // which begin as they end
  let [depth, braces, large, last] = [0, 0, false, ""];
  for (const [token] of tex.matchAll(kinds)) {
    if (depth === 0) large = /^\\[bB]igg?l$/.test(last);
    braces += count(token, BRACES);
    if (!braces && last !== "\\right") {
      if (["|", "\\|"].includes(token)) depth += bars.delete(token) ? -1 : bars.add(token) && 1;
      depth += count(token, PARENTHESES);
    }
    yield { token, depth, large, whole: braces > 0 };
    last = token;
  }
}

// The statements of a displayed formula, and the blanks, \quad or wider, that set them apart: there it breaks where they have
// no room side by side. Words between two blanks ("subject to") begin the statement behind them.
function statements(tex) {
  const found = [""];
  for (const { token, depth, whole } of tokens(tex)) {
    const words = /^\s*\\text\{[^{}]*\}\s*$/.test(found.at(-1));
    if (!whole && depth === 0 && /quad\s*$/.test(token) && !words) found.push(token, "");
    else found[found.length - 1] += token;
  }
  return found;
}

// A statement, cut before each of these signs outside of parentheses, or in large ones, if it does not begin with it.
function cut(statement, signs, inside) {
  const found = [""];
  for (const { token, depth, large, whole } of tokens(statement)) {
    const here = !whole && (inside ? depth === 1 && large : depth === 0);
    if (here && signs.test(token) && !BEGINNING.test(found.at(-1))) found.push("{}");
    found[found.length - 1] += token;
  }
  return found;
}

const width = (drawing) => Number(/width:([\d.]+)em/.exec(drawing)[1]);
const drawing = async (tex) => drawn(adaptor.firstChild(await typeset(tex, true, false)));

// A statement that a phone has no room for breaks before its relations; parts that are still too wide, before their terms; and
// at last before those in large parentheses.
async function inParts(statement) {
  let parts = [{ tex: statement, html: await drawing(statement) }];
  for (const [signs, inside] of [[RELATIONS, false], [SUMS, false], [SUMS, true]]) {
    const room = parts.length > 1 ? PHONE - INDENT : PHONE;
    const cuts = parts.flatMap(({ tex, html }) => (width(html) > room ? cut(tex, signs, inside) : [tex]));
    parts = await Promise.all(cuts.map(async (tex) => ({ tex, html: await drawing(tex) })));
  }
  return parts.length > 1 ? `<mjx-parts>${parts.map(({ html }) => html).join("<wbr>")}</mjx-parts>` : parts[0].html;
}

// A displayed formula: for each statement a drawing, or several.
async function inStatements(tex) {
  const pieces = [];
  for (const [index, part] of statements(tex).entries()) {
    if (index % 2 === 0) pieces.push(await inParts(part));
    else pieces.push(`<mjx-break size="${/qquad/.test(part) ? "qquad" : "quad"}"> </mjx-break>`);
  }
  return pieces.join("");
}

// Aligned rows as a phone has room for them: each breaks by itself, and one that continues the row above is indented.
async function inRows(aligned) {
  const rows = [""];
  for (const { token, whole } of tokens(aligned)) {
    if (!whole && token === "\\\\") rows.push("");
    else rows[rows.length - 1] += !whole && token === "&" && rows.at(-1).trim() ? "" : token;
  }
  const drawings = rows.map(async (row) => {
    const [, continued, rest] = /^\s*(&?)(.*)$/s.exec(row);
    return `<mjx-row${continued ? ' class="continued"' : ""}>${await inStatements(`{}${rest}`)}</mjx-row>`;
  });
  return (await Promise.all(drawings)).join("");
}

async function displayed(tex) {
  const [, aligned] = /^\s*\\begin\{aligned\}(.*)\\end\{aligned\}\s*$/s.exec(tex) ?? [];
  const whole = aligned && (await drawing(tex));
  if (!aligned || width(whole) <= PHONE) return inStatements(tex);
  return `<mjx-wide>${whole}</mjx-wide><mjx-narrow>${await inRows(aligned)}</mjx-narrow>`;
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
    if (display) pieces[0] = await displayed(tex);
    const kind = display ? ' display="true"' : whole ? ' class="whole"' : "";
    return { html: `<mjx-container${kind}>${pieces.join("")}</mjx-container>` };
  } catch (error) {
    return { error: error.message };
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const characters = JSON.parse((await lines.next()).value);
for await (const line of lines) process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
