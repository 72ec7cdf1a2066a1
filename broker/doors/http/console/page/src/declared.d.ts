// What esbuild makes of imports that are no TypeScript.

declare module "*.css";

// The properties of entities, out of the .proto (meanings.mjs).
declare module "wharf:meanings" {
  const meanings: {
    properties: Record<string, { name: string; type: string; meaning: string }[]>;
    enums: Record<string, string[]>;
  };
  export default meanings;
}
