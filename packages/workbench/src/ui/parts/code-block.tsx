import { useState, type ReactNode } from 'react'

/** Code to take along. */
export function CodeBlock({ title, code }: { title: string; code: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  return (
    <figure className="code">
      <figcaption>
        {title}
        <button
          type="button"
          className="plain"
          onClick={() => void navigator.clipboard.writeText(code).then(() => setCopied(true))}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </figcaption>
      <pre>{code}</pre>
    </figure>
  )
}
