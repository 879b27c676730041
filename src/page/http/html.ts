/** HTML templates: every part that is not HTML already is escaped. */
import { type raw, html as template } from 'hono/html';

/** Escaped HTML; a `String` object at run time. */
export type Html = ReturnType<typeof raw>;

/** A template part. `false` and `undefined` render as nothing, so that `condition && html` works. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/** Renders a template for element content and quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  // The result is a promise only if a part is one, which their type excludes.
  template(strings, ...parts) as Html;
