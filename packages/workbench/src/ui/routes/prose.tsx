import { createElement, Fragment, type ReactNode } from 'react'

/** A sentence of the document, with what stands in backticks as code. */
export function Prose({ text }: { text: string }): ReactNode {
  const parts = text.split('`')
  // An odd one has no partner.
  if (parts.length % 2 === 0) return text
  return createElement(Fragment, null, ...parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part)))
}
