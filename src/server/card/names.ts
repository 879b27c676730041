/** URI and MIME type of the plan card (MCP Apps). */
export const CARD_URI = 'ui://countersign/plan';
export const CARD_MIME_TYPE = 'text/html;profile=mcp-app';
