/** What the plan card is called among the resources, and how its document is typed (MCP Apps). */
export const CARD_URI = 'ui://countersign/plan';
export const CARD_MIME_TYPE = 'text/html;profile=mcp-app';
