// A good hand-written version: a growing list, copied into the state once per frame.
import { useState } from 'react'
import { readLines } from './lines.mjs'
import { stage, useFigures } from './stage.mjs'

stage(function App() {
  const [data, setData] = useState([])
  return useFigures(data.length, () => collect(setData))
})

async function collect(setData) {
  const all = []
  let isWaiting = false
  for await (const one of readLines()) {
    all.push(one)
    if (isWaiting) continue
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      setData([...all])
    })
  }
}
