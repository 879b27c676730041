/**
 * Puts types of the sources into a page, so that the page shows them as they are: a line
 * `<!-- code: src/a/b.ts Name -->` is followed by the declaration of that interface, until `<!-- end of code -->`.
 */

/** The page with every quoted type as `read` finds it now. Throws for a type that is not there. */
export function quotedCode(page: string, read: (path: string) => string): string {
  return page.replace(
    /(<!-- code: (\S+) (\w+) -->)[\s\S]*?(<!-- end of code -->)/g,
    (_, begin: string, path: string, name: string, end: string) =>
      `${begin}\n\n\`\`\`ts\n${declarationOf(read(path), name, path)}\n\`\`\`\n\n${end}`,
  );
}

function declarationOf(source: string, name: string, path: string): string {
  const found = new RegExp(`^export (interface ${name} \\{[\\s\\S]*?^\\})$`, 'm').exec(source);
  if (found?.[1] === undefined) throw new Error(`${path} declares no interface ${name}`);
  return found[1];
}
