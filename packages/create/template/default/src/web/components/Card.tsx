import type { ReactNode } from 'react'

interface CardProps {
  title: string
  /** The file behind it. */
  file: string
  children: ReactNode
}

/** A part of the page, and where its code is. */
export function Card({ title, file, children }: CardProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
      <footer>
        <code>{file}</code>
      </footer>
    </section>
  )
}
