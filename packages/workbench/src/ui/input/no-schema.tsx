import type { ReactNode } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'
import { Empty } from '../parts/empty.tsx'
import { shortName } from '../parts/route-name.tsx'

/** Why there is no form, and how to get one. */
export function NoSchema({ route, onJson }: { route: string; onJson: () => void }): ReactNode {
  const name = shortName(route)
  const code = route.startsWith('POST /agent/')
    ? `export default createAgent('${name}', {\n  input: z.object({ text: z.string() }),\n  handler: (ctx, input) => …,\n})`
    : `.on('${route}', {\n  input: z.object({ text: z.string() }),\n  handler: (ctx, input) => …,\n})`
  return (
    <Empty title="This route takes any JSON">
      <p className="quiet">With a schema there is a form here, and input is checked before your handler sees it.</p>
      <CodeBlock title="Add a schema" code={code} />
      <p>
        <button type="button" className="button" onClick={onJson}>
          Write JSON
        </button>
      </p>
    </Empty>
  )
}
