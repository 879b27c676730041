/**
 * Announces the plan card to hosts that support MCP Apps (`io.modelcontextprotocol/ui`). Other hosts get an unchanged
 * tool list. Apps may call only `get_plan`: a card follows a plan and cannot submit one.
 */
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';
import type { ListedTool } from '../catalogue.ts';
import { CARD_MIME_TYPE, CARD_URI } from './names.ts';

const EXTENSION = 'io.modelcontextprotocol/ui';
/** The tool a card may call. */
const FOLLOWS = 'get_plan';

/** Returns whether a client supports apps; `declared` are the capabilities from its initialization. */
export function showsApps({ mcpReq }: ServerContext, declared: unknown): boolean {
  const capabilities: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) ?? declared;
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const own = isRecord(extensions) ? extensions[EXTENSION] : undefined;
  return isRecord(own) && Array.isArray(own.mimeTypes) && own.mimeTypes.includes(CARD_MIME_TYPE);
}

/** Returns the listing of a tool for hosts that support apps, with the card if its result contains a plan. */
export function withCard({ tool }: ListedTool): ListedTool['tool'] & { _meta: { ui: object } } {
  const { properties } = tool.outputSchema;
  const holdsPlan = isRecord(properties) && 'plan' in properties;
  return {
    ...tool,
    _meta: {
      ui: {
        ...(holdsPlan ? { resourceUri: CARD_URI } : {}),
        visibility: tool.name === FOLLOWS ? ['model', 'app'] : ['model'],
      },
    },
  };
}
