/** Tells the parent where the server is, and answers its questions about cost. */
export function report(port) {
  process.on('message', (question) => {
    if (question === 'settle') globalThis.gc?.()
    process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() })
  })
  process.on('disconnect', () => process.exit()) // the parent is gone
  process.send?.({ port })
}
