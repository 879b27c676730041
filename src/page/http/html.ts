/** HTML templates: every part that is not HTML already is escaped. */
import { type raw, html as template } from 'hono/html';

/** Text that is sent as it stands; at run time a `String` object. */
export type Html = ReturnType<typeof raw>;

/** What a template takes. `false` and `undefined` are nothing, so that `condition && html` reads well. */
export type Part = Html | string | number | false | undefined | readonly Part[];

/** A template for element content and quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  // A promise only where a part is one, which their type excludes.
  template(strings, ...parts) as Html;
