import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

type CodeBlockProps = { title: string; code: string; onCopy?: (() => void) | undefined }

/** Code with a copy button. */
export function CodeBlock({ title, code, onCopy }: CodeBlockProps): ReactNode {
  return (
    <figure className="code">
      <figcaption>
        {title}
        <CopyButton text={code} onCopy={onCopy} />
      </figcaption>
      <pre tabIndex={0}>{code}</pre>
    </figure>
  )
}
