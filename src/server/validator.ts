/**
 * Replaces the MCP SDK's platform module: Node's process, and no JSON Schema validator. The SDK would validate
 * answers to elicitation requests, which this server checks itself; its default loads ajv at start.
 */
import process from 'node:process';

export { process };

/** Throws when used: this server validates no JSON Schema. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This server validates no JSON Schemas.');
  }
}
