/**
 * An esbuild plugin for the start bundle. The MCP SDK makes about 180 schemas when it is loaded, most of them only
 * for its table of all specification types, which this server does not use. Here that table is left empty and each
 * schema is marked as free of side effects, so that the bundler keeps the few that serving needs. That is a third of
 * the time between spawning the server and its list of tools.
 *
 * It fails loudly when the SDK's text is no longer what it expects.
 */
import { readFile } from 'node:fs/promises';

/** A top-level schema: `const XSchema = z.…;` or `= YSchema.…;`, up to the statement that follows. */
const SCHEMA =
  /^const (\w+) = ((?:z\.|\w+Schema\.)[\s\S]*?);$(?=\n(?:const|\/\*\*|\/\/|\n|function|export))/gm;

/** The statements that fill the table of specification types. */
const REGISTRATIONS = [
  'for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);',
  'for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);',
];

/** The plugin. */
export function trimProtocolSchemas() {
  let schemas = 0;
  let tables = 0;
  return {
    name: 'trim-protocol-schemas',
    setup(building) {
      building.onLoad(
        { filter: /@modelcontextprotocol\/core\/dist\/(schemas|auth)-[^/]*\.mjs$/ },
        async ({ path }) => {
          const source = await readFile(path, 'utf8');
          const contents = source.replace(SCHEMA, (_, name, expression) => {
            schemas += 1;
            return `const ${name} = /* @__PURE__ */ (() => ${expression})();`;
          });
          return { contents, loader: 'js' };
        },
      );
      building.onLoad(
        { filter: /@modelcontextprotocol\/server\/dist\/src-[^/]*\.mjs$/ },
        async ({ path }) => {
          let contents = await readFile(path, 'utf8');
          for (const statement of REGISTRATIONS) {
            if (contents.includes(statement)) tables += 1;
            contents = contents.replace(statement, '');
          }
          return { contents, loader: 'js' };
        },
      );
      building.onEnd(({ errors }) => {
        if (errors.length === 0 && (schemas < 150 || tables !== REGISTRATIONS.length)) {
          throw new Error(
            `the MCP SDK changed: ${schemas} schemas, ${tables} tables found; look at this plugin`,
          );
        }
      });
    },
  };
}
