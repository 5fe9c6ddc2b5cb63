/** Yields the lines of an NDJSON stream; hand-written. */
export async function* readLines() {
  const response = await fetch('/stream/ndjson', { method: 'POST' })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()
    for (const line of lines) yield JSON.parse(line)
  }
}
