/** Replaces `node/serve` on Cloudflare Workers, which have no `node:http`. */
function rejectServe(): Promise<never> {
  return Promise.reject(
    new TypeError('serve() is not available on Cloudflare Workers: use createWorker from @sdk/server/workers'),
  )
}

export { rejectServe as listen }
