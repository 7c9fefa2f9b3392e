// Formulas as MathML, which browsers draw themselves: KaTeX's fonts and styles are not needed.
for (const node of document.querySelectorAll(".arithmatex")) {
  const text = node.textContent.trim();
  const block = node.tagName === "DIV";
  const formula = text.replace(/^\\[([]/, "").replace(/\\[)\]]$/, "");
  katex.render(formula, node, { displayMode: block, output: "mathml", throwOnError: false });
}
