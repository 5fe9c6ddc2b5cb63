import type { ReactNode } from 'react'

interface CardProps {
  title: string
  /** The path of the file that implements the section. */
  file: string
  children: ReactNode
}

/** A section of the page, with a title and the path of its source file. */
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
