import { useSyncExternalStore, type ReactNode } from 'react'
import { identity } from '../data/identity.ts'
import type { CallInput } from '../input/call-input.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { useKept } from '../parts/use-kept.ts'
import { Segments } from './segments.tsx'
import { snippetsOf } from './snippets.ts'

/** How to make the same call from elsewhere. */
export function CodeView({ route, input }: { route: string; input: CallInput }): ReactNode {
  const [kept, setKept] = useKept('snippet', 'curl')
  const who = useSyncExternalStore(identity.subscribe, identity.snapshot)
  const caller = who.kind === 'user' ? { email: who.user.email, token: who.token } : null
  const snippets = snippetsOf(route, input, { caller })
  const chosen = snippets.find(({ title }) => title === kept) ?? snippets[0]
  if (chosen === undefined) return null
  return (
    <div className="snippets">
      <Segments
        label="Call it by"
        names={snippets.map(({ title }) => title)}
        chosen={chosen.title}
        onChoose={setKept}
      />
      <CodeBlock title={chosen.title} code={chosen.code} />
    </div>
  )
}
