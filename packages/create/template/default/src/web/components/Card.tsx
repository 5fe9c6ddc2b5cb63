import type { ReactNode } from 'react'

interface CardProps {
  title: string
  /** The path of its code. */
  file: string
  children: ReactNode
}

/** A section of the page, with the path of its code. */
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
