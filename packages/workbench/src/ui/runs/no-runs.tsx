import type { ReactNode } from 'react'
import { useManifest } from '../data/use-manifest.ts'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { snippetsOf } from '../run/code/snippets.ts'

/** What stands in place of the list where nothing was called yet: a call of a route that is there. */
export function NoRuns(): ReactNode {
  const routes = useManifest()?.routes ?? []
  const route = (
    routes.find(({ kind }) => kind === 'agent') ?? routes.find(({ route: name }) => name.startsWith('GET '))
  )?.route
  const input = { ...EMPTY_INPUT, body: '{}' }
  const code = route === undefined ? undefined : snippetsOf(route, input).find(({ title }) => title === 'curl')?.code
  return (
    <Empty title="No runs yet">
      <p className="quiet">Call your app or press Run: whoever calls, it is recorded here.</p>
      {code !== undefined && <CodeBlock title="Call it from a terminal" code={code} />}
    </Empty>
  )
}
