import type { ReactNode } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'
import { shortName } from '../parts/route-name.tsx'

/** Free JSON where no schema is known, and how to get a form. */
export function NoSchema({ route, children }: { route: string; children: ReactNode }): ReactNode {
  const input = 'input: z.object({ text: z.string() }),\n  handler: (ctx, input) => …,'
  const code = route.startsWith('POST /agent/')
    ? `export default createAgent('${shortName(route)}', {\n  ${input}\n})`
    : `.on('${route}', {\n  ${input}\n})`
  return (
    <div className="input-free">
      {children}
      <p className="quiet">
        This route takes any JSON. With a schema there is a form here, and input is checked before your handler sees it.
      </p>
      <CodeBlock title="Add a schema" code={code} />
    </div>
  )
}
