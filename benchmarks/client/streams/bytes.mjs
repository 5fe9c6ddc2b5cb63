// The baseline: reads and discards the bytes, and updates a number once per frame.
import { useState } from 'react'
import { stage, useFigures } from './stage.mjs'

stage(function App() {
  const [reads, setReads] = useState(0)
  return useFigures(reads, (count) => read(setReads, count))
})

async function read(setReads, count) {
  const { body } = await fetch('/stream/ndjson', { method: 'POST' })
  let reads = 0
  let isWaiting = false
  for await (const _ of body) {
    reads++
    if (isWaiting) continue
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      setReads(-reads)
    })
  }
  requestAnimationFrame(() => setReads(count))
}
