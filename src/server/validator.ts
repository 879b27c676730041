/**
 * What the MCP SDK takes from its platform, in place of its own: Node's process, and no JSON Schema validator. The
 * SDK would validate answers to elicitation requests, which this server checks itself; its default loads ajv at start.
 */
import process from 'node:process';

export { process };

/** Throws when used: nothing on this server's paths needs it. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This server validates no JSON Schemas.');
  }
}
