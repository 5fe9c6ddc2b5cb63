/** The part of Cloudflare's `ExecutionContext` that we use. */
export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

/** The part of a Durable Object binding that we use. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: never): { fetch(request: Request): Promise<Response> }
}
