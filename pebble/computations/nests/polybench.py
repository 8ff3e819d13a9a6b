"""The 30 kernels of PolyBench 4.2, as assignments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["KERNELS", "PolybenchKernel"]


@dataclass(frozen=True)
class PolybenchKernel:
    """A kernel that has a name.

    Parameters
    ----------
    name : str
    text : str
        Its assignments, each element computed once. Factors that are constants are left out: they are no words.
    extents : mapping of str to int
        Those of PolyBench's data set LARGE.
    description : str
    outputs : tuple of str
        Arrays that are outputs although they are read.
    """

    name: str
    text: str
    extents: Mapping[str, int]
    description: str
    outputs: tuple[str, ...] = field(default=())


_GIVEN = "; the values on the border are given for every step"

_TABLE = [
    PolybenchKernel(
        "2mm",
        "T[i,j] += A[i,k]*B[k,j]; U[i,l] += T[i,j]*C[j,l]; E[i,l] = D[i,l] + U[i,l]",
        {"i": 800, "j": 900, "k": 1100, "l": 1200},
        "D + A·B·C",
    ),
    PolybenchKernel(
        "3mm",
        "E[i,j] += A[i,k]*B[k,j]; F[j,l] += C[j,m]*D[m,l]; G[i,l] += E[i,j]*F[j,l]",
        {"i": 800, "j": 900, "k": 1000, "l": 1100, "m": 1200},
        "(A·B)·(C·D)",
    ),
    PolybenchKernel(
        "adi",
        "p[t,i,j+1] = 1/(p[t,i,j] + 2); "
        "q[t,i,j+1] = (u[t,j+1,i] + u[t,j+1,i+1] + u[t,j+1,i+2] - q[t,i,j])/(p[t,i,j] + 2); "
        "v[t,j+1,i+1] = p[t,i,j+1]*v[t,j+2,i+1] + q[t,i,j+1]; "
        "r[t,i,j+1] = 1/(r[t,i,j] + 2); "
        "s[t,i,j+1] = (v[t,i,j+1] + v[t,i+1,j+1] + v[t,i+2,j+1] - s[t,i,j])/(r[t,i,j] + 2); "
        "u[t+1,i+1,j+1] = r[t,i,j+1]*u[t+1,i+1,j+2] + s[t,i,j+1]",
        {"t": 500, "i": 998, "j": 998},
        f"alternating directions, implicit: columns, then rows, both ways{_GIVEN}",
    ),
    PolybenchKernel(
        "atax",
        "z[i] += A[i,j]*x[j]; y[j] += A[i,j]*z[i]",
        {"i": 1900, "j": 2100},
        "the transpose of A times A·x",
    ),
    PolybenchKernel(
        "bicg",
        "s[j] += r[i]*A[i,j]; q[i] += A[i,j]*p[j]",
        {"i": 2100, "j": 1900},
        "A and its transpose, each times a vector",
    ),
    PolybenchKernel(
        "cholesky",
        "S[i,j] += L[i,k]*L[j,k] for k < j, j <= i; "
        "L[i,j] = (A[i,j] - S[i,j])/L[j,j] for 1 <= j, j < i; L[i,0] = A[i,0]/L[0,0] for 1 <= i; "
        "L[j,j] = sqrt(A[j,j] - S[j,j]) for 1 <= j; L[0,0] = sqrt(A[0,0])",
        {"i": 2000, "j": 2000, "k": 1999},
        "Cholesky's factor of a symmetric matrix",
        ("L",),
    ),
    PolybenchKernel(
        "correlation",
        "u[j] += X[k,j]; v[j] += (X[k,j] - u[j])*(X[k,j] - u[j]); Y[k,j] = (X[k,j] - u[j])/sqrt(v[j]); "
        "C[i,j] += Y[k,i]*Y[k,j] for i < j",
        {"i": 1200, "j": 1200, "k": 1400},
        "correlations of columns",
    ),
    PolybenchKernel(
        "covariance",
        "u[j] += X[k,j]; Y[k,j] = X[k,j] - u[j]; C[i,j] += Y[k,i]*Y[k,j] for i <= j",
        {"i": 1200, "j": 1200, "k": 1400},
        "covariances of columns",
    ),
    PolybenchKernel(
        "deriche",
        "p[i,j+2] = x[i,j+2] + x[i,j+1] + p[i,j+1] + p[i,j]; q[i,j+2] = x[i,j+3] + x[i,j+4] + q[i,j+3] + q[i,j+4]; "
        "s[i+2,j+2] = p[i,j+2] + q[i,j+2]; v[i+2,j+2] = s[i+2,j+2] + s[i+1,j+2] + v[i+1,j+2] + v[i,j+2]; "
        "w[i+2,j+2] = s[i+3,j+2] + s[i+4,j+2] + w[i+3,j+2] + w[i+4,j+2]; y[i,j] = v[i+2,j+2] + w[i+2,j+2]",
        {"i": 4096, "j": 2160},
        "a recursive filter along rows and columns, both ways; the values on the border are given",
    ),
    PolybenchKernel(
        "doitgen",
        "B[r,q,p] += A[r,q,s]*C[s,p]",
        {"r": 150, "q": 140, "p": 160, "s": 160},
        "a three-dimensional array times a matrix",
    ),
    PolybenchKernel(
        "durbin",
        "s[k] += r[k-i-1]*y[k-1,i] for i < k; b[k] = (1 - a[k-1]*a[k-1])*b[k-1] for 1 <= k; "
        "a[k] = (r[k] + s[k])/b[k] for 1 <= k; y[k,i] = y[k-1,i] + a[k]*y[k-1,k-i-1] for i < k; "
        "y[k,k] = a[k] for 1 <= k",
        {"k": 2000, "i": 1999},
        "Durbin's recursion for a Toeplitz system",
    ),
    PolybenchKernel(
        "fdtd-2d",
        "e[t+1,i+1,j] = e[t,i+1,j] - h[t,i+1,j] + h[t,i,j]; f[t+1,i,j+1] = f[t,i,j+1] - h[t,i,j+1] + h[t,i,j]; "
        "h[t+1,i,j] = h[t,i,j] - f[t+1,i,j+1] + f[t+1,i,j] - e[t+1,i+1,j] + e[t+1,i,j]",
        {"t": 500, "i": 999, "j": 1199},
        f"Maxwell's equations on a staggered grid{_GIVEN}",
    ),
    PolybenchKernel(
        "floyd-warshall",
        "P[k+1,i,j] = min(P[k,i,j], P[k,i,k] + P[k,k,j])",
        {"k": 2800, "i": 2800, "j": 2800},
        "shortest paths between all vertices",
    ),
    PolybenchKernel(
        "gemm",
        "T[i,j] += A[i,k]*B[k,j]; D[i,j] = C[i,j] + T[i,j]",
        {"i": 1000, "j": 1100, "k": 1200},
        "C + A·B",
    ),
    PolybenchKernel(
        "gemver",
        "B[i,j] = A[i,j] + u[i]*v[j] + w[i]*z[j]; s[i] += B[j,i]*y[j]; x[i] = s[i] + c[i]; d[i] += B[i,j]*x[j]",
        {"i": 2000, "j": 2000},
        "a matrix changed by two products of vectors, and it and its transpose times vectors",
    ),
    PolybenchKernel(
        "gesummv",
        "s[i] += A[i,j]*x[j]; r[i] += B[i,j]*x[j]; y[i] = s[i] + r[i]",
        {"i": 1300, "j": 1300},
        "A·x + B·x",
    ),
    PolybenchKernel(
        "gramschmidt",
        "s[k] += A[k,i,k]*A[k,i,k]; R[k,k] = sqrt(s[k]); Q[i,k] = A[k,i,k]/R[k,k]; "
        "R[k,j] += Q[i,k]*A[k,i,j] for k < j; A[k+1,i,j] = A[k,i,j] - Q[i,k]*R[k,j] for k < j",
        {"i": 1000, "j": 1200, "k": 1200},
        "the modified method of Gram and Schmidt: A = Q·R",
        ("Q", "R"),
    ),
    PolybenchKernel(
        "heat-3d",
        "a[t+1,i+1,j+1,k+1] = a[t,i,j+1,k+1] + a[t,i+2,j+1,k+1] + a[t,i+1,j,k+1] + a[t,i+1,j+2,k+1] "
        "+ a[t,i+1,j+1,k] + a[t,i+1,j+1,k+2] + a[t,i+1,j+1,k+1]",
        {"t": 1000, "i": 118, "j": 118, "k": 118},
        f"heat in three dimensions, two steps for each of PolyBench's{_GIVEN}",
    ),
    PolybenchKernel(
        "jacobi-1d",
        "a[t+1,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]",
        {"t": 1000, "i": 1998},
        f"means of three neighbours, two steps for each of PolyBench's{_GIVEN}",
    ),
    PolybenchKernel(
        "jacobi-2d",
        "a[t+1,i+1,j+1] = a[t,i+1,j+1] + a[t,i+1,j] + a[t,i+1,j+2] + a[t,i,j+1] + a[t,i+2,j+1]",
        {"t": 1000, "i": 1298, "j": 1298},
        f"means of five neighbours, two steps for each of PolyBench's{_GIVEN}",
    ),
    PolybenchKernel(
        "lu",
        "S[i,j] += L[i,k]*U[k,j] for k < i, k < j; U[i,j] = A[i,j] - S[i,j] for 1 <= i, i <= j; U[0,j] = A[0,j]; "
        "L[i,j] = (A[i,j] - S[i,j])/U[j,j] for 1 <= j, j < i; L[i,0] = A[i,0]/U[0,0] for 1 <= i",
        {"i": 2000, "j": 2000, "k": 1999},
        "A = L·U without pivots",
        ("L", "U"),
    ),
    PolybenchKernel(
        "ludcmp",
        "S[i,j] += L[i,k]*U[k,j] for k < i, k < j; U[i,j] = A[i,j] - S[i,j] for 1 <= i, i <= j; U[0,j] = A[0,j]; "
        "L[i,j] = (A[i,j] - S[i,j])/U[j,j] for 1 <= j, j < i; L[i,0] = A[i,0]/U[0,0] for 1 <= i; "
        "y[i] = b[i]; y[i] -= L[i,j]*z[j] for j < i; z[i] = y[i]; "
        "w[i] = z[i]; w[i] -= U[i,j]*x[j] for i < j; x[i] = w[i]/U[i,i]",
        {"i": 2000, "j": 2000, "k": 1999},
        "a linear system by L·U without pivots",
        ("L", "U", "x"),
    ),
    PolybenchKernel(
        "mvt",
        "r[i] += A[i,j]*x[j]; p[i] = b[i] + r[i]; s[i] += A[j,i]*y[j]; q[i] = c[i] + s[i]",
        {"i": 2000, "j": 2000},
        "A and its transpose, each times a vector and added to one",
    ),
    PolybenchKernel(
        "nussinov",
        "S[i,j] += T[i,k]*T[k+1,j] for i < k, k < j; "
        "T[i,j] = max(S[i,j], T[i,j-1], T[i+1,j], T[i+1,j-1] + q[i]*q[j]) for i + 2 <= j; "
        "T[i,i+1] = max(T[i,i], T[i+1,i+1], q[i]*q[i+1])",
        {"i": 2499, "j": 2500, "k": 2499},
        "folding of RNA; the sum stands for a maximum",
    ),
    PolybenchKernel(
        "seidel-2d",
        "a[t+1,i+1,j+1] = a[t+1,i,j] + a[t+1,i,j+1] + a[t+1,i,j+2] + a[t+1,i+1,j] + a[t,i+1,j+1] + a[t,i+1,j+2] "
        "+ a[t,i+2,j] + a[t,i+2,j+1] + a[t,i+2,j+2]",
        {"t": 500, "i": 1998, "j": 1998},
        f"means of nine neighbours in place{_GIVEN}",
    ),
    PolybenchKernel(
        "symm",
        "D[i,j] = C[i,j]; D[i,j] += A[i,k]*B[k,j] for k <= i; D[i,j] += A[k,i]*B[k,j] for i < k",
        {"i": 1000, "j": 1200, "k": 1000},
        "C + A·B, A symmetric and its lower half given",
    ),
    PolybenchKernel(
        "syr2k",
        "D[i,j] = C[i,j] for j <= i; D[i,j] += A[i,k]*B[j,k] + A[j,k]*B[i,k] for j <= i",
        {"i": 1200, "j": 1200, "k": 1000},
        "the lower half of C + A·Bᵀ + B·Aᵀ",
    ),
    PolybenchKernel(
        "syrk",
        "D[i,j] = C[i,j] for j <= i; D[i,j] += A[i,k]*A[j,k] for j <= i",
        {"i": 1200, "j": 1200, "k": 1000},
        "the lower half of C + A·Aᵀ",
    ),
    PolybenchKernel(
        "trisolv",
        "s[i] = b[i]; s[i] -= L[i,j]*x[j] for j < i; x[i] = s[i]/L[i,i]",
        {"i": 2000, "j": 2000},
        "a triangular system",
        ("x",),
    ),
    PolybenchKernel(
        "trmm",
        "D[i,j] = B[i,j]; D[i,j] += A[k,i]*B[k,j] for i < k",
        {"i": 1000, "j": 1200, "k": 1000},
        "the transpose of a triangular matrix with ones on its diagonal, times B",
    ),
]

KERNELS: Mapping[str, PolybenchKernel] = {kernel.name: kernel for kernel in _TABLE}
"""All 30 by name."""
