import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** Code to take along. */
export function CodeBlock({ title, code }: { title: string; code: string }): ReactNode {
  return (
    <figure className="code">
      <figcaption>
        {title}
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0}>{code}</pre>
    </figure>
  )
}
