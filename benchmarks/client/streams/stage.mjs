import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

const figures = { frames: 0, renders: 0, most: 0, longest: 0 }
let inFrame = 0
let latest = 0
let isOver = false
let expected
let end
let begin

/** Called by a component on every render, with its current data and the function that starts its stream. */
export function useFigures(have, start) {
  countRender()
  useEffect(() => {
    begin = start
    if (have === expected) end()
  })
  return `${have} so far`
}

/** Renders the component; `bench` starts its stream and resolves when all of it is shown. */
export function stage(App) {
  createRoot(document.getElementById('root')).render(createElement(App))
  globalThis.bench = async (count) => {
    const shown = new Promise((resolve) => (end = resolve))
    expected = count
    figures.renders = 0
    inFrame = 0
    latest = performance.now()
    requestAnimationFrame(frame)
    begin(count)
    await shown
    isOver = true
    frame()
    return figures
  }
}

/** The chunk of text streams: joined chunks are counted by their length. */
export const TOKEN = 'token '

function countRender() {
  figures.renders++
  inFrame++
}

function frame() {
  const now = performance.now()
  figures.longest = Math.max(figures.longest, now - latest)
  latest = now
  figures.frames++
  figures.most = Math.max(figures.most, inFrame)
  inFrame = 0
  if (!isOver) requestAnimationFrame(frame)
}
