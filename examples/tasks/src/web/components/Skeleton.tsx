/** A placeholder of about the size of what is loading, so that nothing jumps when it comes. */
export function Skeleton({ rows }: { rows: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  )
}
