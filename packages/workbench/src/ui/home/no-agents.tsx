import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { links } from '../links.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { showToast } from '../components/toast.ts'

/** What stands where the agents would: how to make the first one, and a button that does it. */
export function NoAgents({ canAdd }: { canAdd: boolean }): ReactNode {
  const [, go] = useLocation()
  const { invoke, isLoading, error } = useAPI('POST /_workbench/api/agents')

  function add(): void {
    invoke({ name: 'hello' }).then(
      ({ files }) => {
        showToast(`Wrote ${files.join(', ')}`)
        go(links.agent('hello'))
      },
      () => {}, // the error is in the state of the call
    )
  }

  return (
    <Empty title="No agents yet">
      <p>An agent is a function with a name, an input and an output. The first one:</p>
      <CodeBlock title="In a terminal, in your project" code="sdk add agent hello" />
      {canAdd && (
        <button type="button" className="button primary" disabled={isLoading} onClick={add}>
          Add the agent “hello”
        </button>
      )}
      {error !== null && (
        <p className="fault" role="alert">
          {error.message}
        </p>
      )}
    </Empty>
  )
}
