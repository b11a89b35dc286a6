use proc_macro::TokenStream;
use quote::quote;
use syn::{parse_macro_input, Data, DeriveInput};

/// `fn name(&self) -> &'static str` of a fieldless enum: its variant as written.
#[proc_macro_derive(VariantName)]
pub fn variant_name(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let data = match &input.data {
        Data::Enum(data) => data,
        _ => return quote!(compile_error!("VariantName is for enums");).into(),
    };
    let (name, variants) = (
        &input.ident,
        data.variants.iter().map(|variant| &variant.ident),
    );
    quote! {
        impl #name {
            pub fn name(&self) -> &'static str {
                match self {
                    #(Self::#variants => stringify!(#variants),)*
                }
            }
        }
    }
    .into()
}
