import type { ReactNode } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { shortName } from '../components/route-name.tsx'

interface NoSchemaProps {
  readonly route: string
  /** Why there is no form although there is a schema; null where there is none. @default null */
  readonly note?: string | null | undefined
  /** The editor. */
  readonly children: ReactNode
}

/** Free JSON where no schema is known, and how to get a form. */
export function NoSchema({ route, note = null, children }: NoSchemaProps): ReactNode {
  const input = 'input: z.object({ text: z.string() }),\n  handler: (ctx, input) => …,'
  const code = route.startsWith('POST /agent/')
    ? `export default createAgent('${shortName(route)}', {\n  ${input}\n})`
    : `.on('${route}', {\n  ${input}\n})`
  if (note !== null) {
    return (
      <div className="input-free">
        <p className="notice">{note}</p>
        {children}
      </div>
    )
  }
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
