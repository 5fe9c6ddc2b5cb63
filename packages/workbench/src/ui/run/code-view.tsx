import type { ReactNode } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'
import type { CallInput } from '../input/call-input.ts'
import { snippetsOf } from './snippets.ts'

/** How to make the same call from elsewhere. */
export function CodeView({ route, input }: { route: string; input: CallInput }): ReactNode {
  return (
    <div className="snippets">
      {snippetsOf(route, input, location.origin).map(({ title, code }) => (
        <CodeBlock key={title} title={title} code={code} />
      ))}
    </div>
  )
}
