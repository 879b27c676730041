/** Returns the page with the text between `<!-- name:start -->` and `<!-- name:end -->` replaced. Throws without these markers. */
export function replaceSection(page: string, name: string, text: string): string {
  const start = `<!-- ${name}:start -->`;
  const end = `<!-- ${name}:end -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the page has no section ${name}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
