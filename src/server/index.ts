/** The MCP server: make one, serve it. Everything exported here is on the start path. */
export { type CreateServerOptions, createServer } from './createServer.ts';
export { serve } from './serve.ts';
