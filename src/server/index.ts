/** The MCP server. Everything exported here is loaded at start. */
export { type CreateServerOptions, createServer } from './createServer.ts';
export { serve } from './serve.ts';
