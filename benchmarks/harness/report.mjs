/** Reports the port of the server to the parent process, and its resource usage on request. */
export function report(port) {
  process.on('message', (question) => {
    if (question === 'settle') globalThis.gc?.()
    process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() })
  })
  process.on('disconnect', () => process.exit()) // the parent is gone
  process.send?.({ port })
}
