import './base.css'
import { apiQueryOptions, AuthProvider, SdkProvider } from '@sdk/react'
import { QueryClient } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createWorkbenchClient } from './data/client.ts'
import { identitySource } from './data/identity.ts'
import { followSystem } from './settings/theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')

// Waiting briefly for the manifest avoids a first render without it.
const MANIFEST_WAIT_MS = 200

followSystem()
const client = createWorkbenchClient().withAuth(identitySource)
const queryClient = new QueryClient()
const asked = queryClient.prefetchQuery(apiQueryOptions(client, 'GET /_workbench/api/manifest'))
await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, MANIFEST_WAIT_MS))])
createRoot(root).render(
  <StrictMode>
    <AuthProvider source={identitySource}>
      <SdkProvider client={client} queryClient={queryClient}>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
