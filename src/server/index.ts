/** The MCP server: make one, serve it. Everything exported here is on the start path. */
export { type CountersignServer, type CreateServerOptions, createServer } from './createServer.ts';
export type { OpenHost, ToolCall, ToolHost } from './host.ts';
export { serve } from './serve.ts';
