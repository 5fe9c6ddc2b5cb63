import type { ReactNode } from 'react'

/** A table column: its title and the class of its header. An empty title creates an empty cell. */
type TableColumn = string | readonly [title: ReactNode, className: string]

/** The head of a table. */
export function TableHead({ columns }: { columns: readonly TableColumn[] }): ReactNode {
  return (
    <thead>
      <tr>
        {columns.map((column, index) => {
          const [title, className] = typeof column === 'string' ? [column] : column
          // oxlint-disable-next-line react/no-array-index-key -- columns do not move
          if (title === '') return <td key={index} />
          return (
            // oxlint-disable-next-line react/no-array-index-key -- columns do not move
            <th key={index} scope="col" className={className}>
              {title}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
