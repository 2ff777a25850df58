// Typesets formulas. Each line of the input, {tex, display} in JSON, is answered by a line: {html}, or {error} if TeX cannot
// set the formula. When the input ends, the last line is {css}, the style of everything that was set.
//
//     node typeset.mjs <folder of the installed packages>
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

console.warn = () => {}; // MathJax warns of a setting of its own, for a menu that is not here
const { default: MathJax } = await import(pathToFileURL(`${process.argv[2]}/mathjax/node-main.mjs`));

await MathJax.init({
  loader: { load: ["input/tex", "output/chtml", "a11y/assistive-mml"] },
  options: { enableAssistiveMml: true },
  tex: {
    packages: { "[-]": ["noundefined"] }, // an unknown command is an error, not a word in red
    formatError: (_, error) => {
      throw error;
    },
  },
  // The size is set by style sheets: measured, formulas in folded or hidden places would come out too small.
  chtml: { fontURL: ".", matchFontHeight: false },
});

const adaptor = MathJax.startup.adaptor;
// What scripts would use, the TeX of every symbol first of all, or book.css says once: half of the weight.
const UNUSED = / (?:(?:data-[a-z-]+|overflow|unselectable|xmlns)="[^"]*"|style="position: relative;")/g;

async function answer({ tex, display }) {
  try {
    const formula = await MathJax.tex2chtmlPromise(tex, { display });
    return { html: adaptor.outerHTML(formula).replace(UNUSED, "") };
  } catch (error) {
    return { error: error.message };
  }
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
for await (const line of createInterface({ input: process.stdin })) say(await answer(JSON.parse(line)));
say({ css: adaptor.cssText(MathJax.chtmlStylesheet()) });
