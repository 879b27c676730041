/**
 * The least a server on the official SDK can do for the same request: fetch, and pass on what came. Nothing is
 * checked, cleaned or redacted. What it takes longer than a bare fetch is the floor of every tool.
 */
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const { BENCH_URL: url, BENCH_KEY: key } = process.env;

serveStdio(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async () => {
    const { response } = await (await fetch(url, { headers: { 'x-api-key': key } })).json();
    return {
      content: [{ type: 'text', text: JSON.stringify(response) }],
      structuredContent: { tokens: response },
    };
  });
  return server;
});
