/**
 * A minimal server on the official SDK for the same request: it fetches and returns the response without
 * validation, cleaning or redaction. Its time above a bare fetch is the minimum overhead of any tool.
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
