/** Writes the tool reference from the tools, one section per domain. */
import { listWords } from '../src/base/words.ts';
import { OPT_IN } from '../src/server/optIn.ts';
import { hints, type Tool } from '../tools/tool.ts';
import { inputSchema, publishOutput, withShownNames } from './publishSchema.ts';

const EFFECTS: Readonly<Record<Tool['effect'], string>> = {
  read: 'changes nothing',
  write: 'makes a record at the service; nothing on chain',
  build: 'stores a plan; signs nothing',
  submit: 'signs and sends what the policy allows',
};

type Schema = { [key: string]: unknown };
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A table cell: no line breaks, no bars. */
const cell = (text: unknown): string =>
  String(text ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

/** `string`, `integer`, `string[]`, `"v0" | "v1"` … for one JSON Schema. */
function typeName(schema: Schema): string {
  if (Array.isArray(schema.anyOf)) {
    const others = schema.anyOf.filter(isSchema).filter((each) => each.type !== 'null');
    return others.map(typeName).join(' or ');
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((each) => `\`${String(each)}\``).join(', ');
  if (schema.type === 'array') return `list of ${isSchema(schema.items) ? typeName(schema.items) : 'values'}`;
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function argumentRows(tool: Tool): string[] {
  const schema: Schema = withShownNames(inputSchema(tool.input), tool.domain);
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (properties.length === 0) return ['No arguments.', ''];
  return [
    '| argument | type | required | meaning |',
    '|---|---|---|---|',
    ...properties.map(([name, value]) => {
      const inner = isSchema(value) ? value : {};
      return `| \`${name}\` | ${cell(typeName(inner))} | ${required.includes(name) ? 'yes' : ''} | ${cell(inner.description)} |`;
    }),
    '',
  ];
}

/** The fields of a tool's result. */
function resultNames({ output }: Tool): string {
  const { properties } = publishOutput(output, 'names');
  return Object.keys(isSchema(properties) ? properties : {})
    .map((name) => `\`${name}\``)
    .join(', ');
}

function section(tool: Tool): string[] {
  const marks = Object.entries(hints(tool))
    .filter(([, set]) => set)
    .map(([name]) => name);
  return [
    `### \`${tool.name}\``,
    '',
    `**${tool.title}** · ${tool.effect}: ${EFFECTS[tool.effect]} · ${marks.join(', ')}`,
    '',
    tool.description,
    '',
    ...argumentRows(tool),
    `Result: ${resultNames(tool)}.`,
    '',
  ];
}

/** The whole reference as Markdown. */
export function toolReference(tools: readonly Tool[]): string {
  const domains = [...new Set(tools.map((tool) => tool.domain))];
  return [
    '# Tools',
    '',
    'Made from the tools themselves by `npm run gen`; do not edit.',
    '',
    'Every result has `mode` (`sandbox` or `live`). An incomplete list has `nextOffset`, the `offset` of its next page, and `more`, the',
    'number of remaining rows. Times are ISO 8601, in results and arguments. Errors are results with `isError` and',
    '`{code, message, hint, retryable, class}`; `class` is `input`, `policy`, `security`, `availability` or `upstream`.',
    'Some toolsets are served only when a person asks for them, such as with `--toolsets default,analytics`:',
    `${listWords(OPT_IN.filter((domain) => domains.includes(domain)).map((domain) => `\`${domain}\``))}. Account, plan and wallet tools are always served.`,
    '',
    'Besides tools there are prompts for the common jobs, and resources: the policy in force (`policy://current`), the',
    "service's bytes of a stage (`plan://{planId}/stages/{stageId}`) and the operating guide (`guide://operating`).",
    '',
    ...domains.flatMap((domain) => [
      `## ${domain}`,
      '',
      ...tools.filter((tool) => tool.domain === domain).flatMap(section),
    ]),
  ].join('\n');
}
