import type { ReactNode } from 'react'

/** A sentence of the document, with what stands in backticks as code. */
export function Prose({ text }: { text: string }): ReactNode {
  return [...text.matchAll(/`([^`]+)`|[^`]+|`/g)].map(({ 0: part, 1: code, index }) =>
    code === undefined ? part : <code key={index}>{code}</code>,
  )
}
