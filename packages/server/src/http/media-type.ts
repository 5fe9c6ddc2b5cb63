/** The media types of responses. */
export const MEDIA_TYPE = {
  json: 'application/json',
  problem: 'application/problem+json',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
} as const
